"""typing.NamedTuple without typing, whose import takes as long as half of this package's."""

from __future__ import annotations

from operator import itemgetter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:

    class NamedTuple(tuple):
        """A tuple whose items have the names of the class's annotations; one with a value there has that as its default."""

        __slots__ = ()

        def __init_subclass__(cls):
            cls._fields = cls.__match_args__ = tuple(cls.__annotations__)
            cls._field_defaults = {name: vars(cls)[name] for name in cls._fields if name in vars(cls)}
            for i, name in enumerate(cls._fields):
                setattr(cls, name, property(itemgetter(i)))

        def __new__(cls, *values, **named):
            left, known = cls._fields[len(values):], {**cls._field_defaults, **named}
            values += tuple(known[name] for name in left if name in known)
            if len(values) != len(cls._fields) or not named.keys() <= set(left):
                raise TypeError(f"{cls.__name__} has {', '.join(cls._fields)}.")
            return super().__new__(cls, values)

        def __getnewargs__(self):
            return tuple(self)

        def __repr__(self):
            return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in zip(self._fields, self))})"
