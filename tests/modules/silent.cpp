// A library that is called like a module and is none.
extern "C" int pintle_backend_nothing() { return 0; }
