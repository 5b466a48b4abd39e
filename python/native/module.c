/* The module: its types and functions, in the main interpreter of a process. */
#include "objects.h"

static PyModuleDef definition;

State* state_of_type(PyTypeObject* type) {
  for (PyTypeObject* each = type; each != NULL; each = (PyTypeObject*)PyType_GetSlot(each, Py_tp_base)) {
    PyObject* const module = PyType_GetModule(each);
    if (module == NULL) PyErr_Clear();
    if (module != NULL && PyModule_GetDef(module) == &definition) return PyModule_GetState(module);
  }
  PyErr_SetString(PyExc_SystemError, "The type is none of pintle's.");
  return NULL;
}

/* Tells which classes of Python failures, points and commands are, and what checks an array for a replay. */
static PyObject* set_classes(PyObject* module, PyObject* arguments) {
  State* const state = PyModule_GetState(module);
  PyObject *make_error, *point, *command, *bind_array;
  if (!PyArg_ParseTuple(arguments, "OO!O!O", &make_error, &PyType_Type, &point, &PyType_Type, &command, &bind_array))
    return NULL;
  if (!PyType_IsSubtype((PyTypeObject*)point, state->point) ||
      !PyType_IsSubtype((PyTypeObject*)command, state->command))
    return PyErr_Format(PyExc_TypeError, "set_classes() takes classes that derive from those here.");
  PyObject* const before[] = {state->make_error, (PyObject*)state->public_point, (PyObject*)state->public_command,
                              state->bind_array};
  state->make_error = Py_NewRef(make_error);
  state->public_point = (PyTypeObject*)Py_NewRef(point);
  state->public_command = (PyTypeObject*)Py_NewRef(command);
  state->bind_array = Py_NewRef(bind_array);
  for (size_t i = 0; i < sizeof before / sizeof *before; ++i) Py_XDECREF(before[i]);
  Py_RETURN_NONE;
}

static PyObject* library_version(PyObject* module, PyObject* nothing) {
  pintle_error error = PINTLE_ERROR_INIT;
  const char* version;
  (void)nothing;
  if (pintle_version(&version, &error) != PINTLE_OK) return raise_error(PyModule_GetState(module), &error);
  return PyUnicode_FromString(version);
}

static PyObject* drop(PyObject* module, PyObject* nothing) {
  (void)module;
  (void)nothing;
  drop_now();
  Py_RETURN_NONE;
}

static PyObject* stop(PyObject* module, PyObject* nothing) {
  (void)module;
  (void)nothing;
  drop_stop();
  Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"set_classes", set_classes, METH_VARARGS, "Tells which classes of Python failures, points and commands are."},
    {"version", library_version, METH_NOARGS, "The version of the library."},
    {"nanoseconds", nanoseconds_of, METH_O, "Nanoseconds of a timeout in seconds; of None: the library's default."},
    {"turn", turn_make, METH_VARARGS, "A context in which no other thread calls the library with the objects."},
    {"slot", slot_make, METH_O,
     "slot($module, index, /)\n--\n\nStands for an argument of a kernel that each replay binds; 0 to 1023."},
    {"wait_all", wait_all, METH_VARARGS, "Blocks until every point is reached."},
    {"wait_any", wait_any, METH_VARARGS, "Blocks until one point is reached, and answers its index."},
    {"wait_idle", wait_idle, METH_VARARGS, "Blocks until everything that was submitted to a device has ended."},
    {"dlpack_share", dlpack_share, METH_VARARGS, "A capsule with a tensor over an object's memory."},
    {"dlpack_borrow", dlpack_borrow, METH_O,
     "A tensor by the functions of its type: its capsule, the kind and number of its device, and a GPU's stream."},
    {"dlpack_lend", dlpack_lend, METH_VARARGS, "A capsule with a tensor over a buffer's bytes in its device's memory."},
    {"dlpack_place", dlpack_place, METH_O,
     "DLPack's kind and number of the device whose memory a buffer's is; None: the host's."},
    {"dlpack_take", dlpack_take, METH_VARARGS,
     "The handle of a buffer over a capsule's tensor, and a value of the queue's timeline."},
    {"drop", drop, METH_NOARGS, "Lets go of what the library has let go of."},
    {"stop", stop, METH_NOARGS, "The interpreter ends: nothing is let go of any more."},
    {NULL, NULL, 0, NULL}};

static PyTypeObject* add_type(PyObject* module, PyType_Spec* spec, PyTypeObject* base) {
  PyTypeObject* const type = (PyTypeObject*)PyType_FromModuleAndSpec(module, spec, (PyObject*)base);
  if (type != NULL && PyModule_AddType(module, type) != 0) {
    Py_DECREF(type);
    return NULL;
  }
  return type;
}

static bool add_types(PyObject* module, State* state) {
  state->handle = add_type(module, &handle_spec, NULL);
  if (state->handle == NULL) return false;
  struct {
    PyTypeObject** type;
    PyType_Spec* spec;
    PyTypeObject* base;
  } const rows[] = {{&state->signal, &signal_spec, state->handle},
                    {&state->point, &point_spec, NULL},
                    {&state->alarm, &alarm_spec, NULL},
                    {&state->buffer, &buffer_spec, state->handle},
                    {&state->view, &view_spec, NULL},
                    {&state->mapping, &mapping_spec, NULL},
                    {&state->slot, &slot_spec, NULL},
                    {&state->kernel, &kernel_spec, state->handle},
                    {&state->command, &command_spec, NULL},
                    {&state->queue, &queue_spec, state->handle},
                    {&state->recording, &recording_spec, state->handle},
                    {&state->turn, &turn_spec, NULL},
                    {&state->sampler, &sampler_spec, NULL},
                    {&state->texels, &texels_spec, NULL}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    if ((*rows[i].type = add_type(module, rows[i].spec, rows[i].base)) == NULL) return false;
  /* Until the package says better. */
  state->public_point = (PyTypeObject*)Py_NewRef((PyObject*)state->point);
  state->public_command = (PyTypeObject*)Py_NewRef((PyObject*)state->command);
  state->make_error = Py_NewRef(PyExc_RuntimeError);
  state->bind_array = Py_NewRef(Py_None);
  return true;
}

static bool add_names(State* state) {
  static const char* const names[name_count] = {"items",   "groups", "after",     "label", "signal",
                                                "timeout", "grid",   "most",      "copy",  "buffer",
                                                "fill",    "value",  "timestamp", "uses",  "__dlpack_c_exchange_api__"};
  for (int i = 0; i < name_count; ++i)
    if ((state->names[i] = PyUnicode_InternFromString(names[i])) == NULL) return false;
  return true;
}

static int execute(PyObject* module) {
  State* const state = PyModule_GetState(module);
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) {
    PyErr_SetString(PyExc_ImportError,
                    "pintle works in the main interpreter of a process alone, since the library's threads and devices "
                    "belong to the process.");
    return -1;
  }
  watch_forks();
  PyMethodDef* const tables[] = {command_functions, slot_functions, image_functions, host_functions, notice_functions};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; ++i)
    if (PyModule_AddFunctions(module, tables[i]) != 0) return -1;
  return add_types(module, state) && add_names(state) && dlpack_add_exchange(state) ? 0 : -1;
}

static PyObject** reference(State* state, size_t i) {
  PyTypeObject** const types[] = {
      &state->handle,  &state->alarm,   &state->signal, &state->point,        &state->buffer,        &state->view,
      &state->mapping, &state->slot,    &state->kernel, &state->command,      &state->queue,         &state->recording,
      &state->turn,    &state->sampler, &state->texels, &state->public_point, &state->public_command};
  const size_t count = sizeof types / sizeof *types;
  if (i < count) return (PyObject**)types[i];
  if (i == count) return &state->make_error;
  if (i == count + 1) return &state->bind_array;
  return i - count - 1 <= name_count ? &state->names[i - count - 2] : NULL;
}

static int traverse(PyObject* module, visitproc visit, void* arg) {
  State* const state = PyModule_GetState(module);
  PyObject** one;
  for (size_t i = 0; (one = reference(state, i)) != NULL; ++i) Py_VISIT(*one);
  return 0;
}

static int clear(PyObject* module) {
  State* const state = PyModule_GetState(module);
  PyObject** one;
  for (size_t i = 0; (one = reference(state, i)) != NULL; ++i) Py_CLEAR(*one);
  return 0;
}

static void free_module(void* module) { (void)clear(module); }

static PyModuleDef_Slot slots[] = {{Py_mod_exec, execute}, {0, NULL}};
static PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                 .m_name = "pintle._native",
                                 .m_doc = "Launches, submissions, replays, waits and DLPack for the package pintle.",
                                 .m_size = sizeof(State),
                                 .m_methods = functions,
                                 .m_slots = slots,
                                 .m_traverse = traverse,
                                 .m_clear = clear,
                                 .m_free = free_module};

PyMODINIT_FUNC PyInit__native(void) { return PyModuleDef_Init(&definition); }
