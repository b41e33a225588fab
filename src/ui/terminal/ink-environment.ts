/**
 * Import this before `ink`. Ink's colour level is fixed for the whole process when it loads, but one process may
 * serve a colour console and a monochrome serial line. So Ink always draws 16 colours and each `Screen` drops what
 * its terminal does not have.
 */
// Ink lets FORCE_COLOR win over NO_COLOR, which `detectProfile` still has to read.
process.env['FORCE_COLOR'] = '1';
