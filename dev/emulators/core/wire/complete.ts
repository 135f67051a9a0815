/** The same with any text for every text and any number for every number: no more is known of what is in a JSON file. */
type Loose<T> = T extends string
  ? string
  : T extends number
    ? number
    : T extends object
      ? { [Key in keyof T]?: Loose<T[Key]> }
      : T

/**
 * Completes objects: what is the same in all of a kind is in `constants`, a JSON file; the rest is given. `Kinds` has the
 * types of the processor's SDK. Both parts are checked against them, so an object cannot lack a field that is required.
 */
export const completer =
  <Kinds>() =>
  <Constants extends { [Kind in keyof Kinds]: Loose<Kinds[Kind]> }>(constants: Constants) =>
  <Kind extends keyof Kinds>(
    kind: Kind,
    given: Omit<Kinds[Kind], keyof Constants[Kind]> & Partial<Kinds[Kind]>,
  ): Kinds[Kind] =>
    ({ ...constants[kind], ...given }) as Kinds[Kind]
