"""Circles in a graph that is given as {(from, to): place}."""


def followers(edges):
    graph = {}
    for source, target in edges:
        graph.setdefault(source, set()).add(target)
        graph.setdefault(target, set())
    return {node: sorted(graph[node]) for node in sorted(graph)}


def find_circles(edges):
    """Every set of nodes that reach each other, sorted (Tarjan's strong components of two or more)."""
    graph = followers(edges)
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for following in graph[node]:
            if following not in index:
                visit(following)
            if following in stack:
                low[node] = min(low[node], low[following])
        if low[node] == index[node]:
            members = stack[stack.index(node):]
            del stack[stack.index(node):]
            if len(members) > 1:
                found.append(sorted(members))

    for node in graph:
        if node not in index:
            visit(node)
    return sorted(found)


def way_back(graph, start):
    """The shortest way from a node to itself, breadth first."""
    came, front = {}, [start]
    for node in front:
        for following in graph[node]:
            if following not in came:
                came[following] = node
                front.append(following)
            if following == start:
                path = [start, node]
                while node != start:
                    node = came[node]
                    path.append(node)
                return path[::-1]
    return []


def shortest_path(edges, members):
    """The shortest way around inside a circle, as nodes; the first one comes again at the end."""
    graph = followers({edge: place for edge, place in edges.items() if edge[0] in members and edge[1] in members})
    return min((way_back(graph, start) for start in members), key=len)


def describe(edges, members):
    """The way around with the includes that make it; all members where it leaves some out."""
    path = shortest_path(edges, members)
    places = ", ".join(edges[edge] for edge in zip(path, path[1:]))
    rest = f"; the {len(members)} that reach each other: {', '.join(members)}" if len(members) > len(path) - 1 else ""
    return f"{' -> '.join(path)} ({places}){rest}"
