type Words<Line extends string> = Line extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Line

/** The fields of an object that the emulator never fills, by their names: `nulls('phone shipping', 'tax')`. */
export const nulls = <const Lines extends string[]>(...lines: Lines) =>
  Object.fromEntries(lines.flatMap((line) => line.split(' ')).map((name) => [name, null])) as Record<
    Words<Lines[number]>,
    null
  >
