/** The version the emulator speaks: the one the pinned `stripe` package is made for. */
export const API_VERSION = '2026-10-28.endive'
