/* For AddressSanitizer's builds: libraries stay loaded, since its leak checker can name, and suppress, what a driver
 * leaks only while the driver's library is there. OpenCL's loader closes them when the process ends. */
int dlclose(void* library);
int dlclose(void* library) {
  (void)library;
  return 0;
}
