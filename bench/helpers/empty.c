/* The reference of start. */
int main(void) { return 0; }
