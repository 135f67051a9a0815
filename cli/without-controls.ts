/** For text that others have written: replaces control and bidi characters, which could manipulate a terminal. */
export const withoutControls = (line: string): string =>
  line.replace(/[[\p{Cc}--\t]\u202a-\u202e\u2066-\u2069]/gv, '\u{FFFD}')
