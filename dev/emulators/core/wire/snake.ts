type Snake<Name extends string> = Name extends `${infer Head}${infer Rest}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${Snake<Rest>}`
  : ''

export const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Copies fields of a record under their names in snake case. */
export const snakeFields = <Of extends object, Name extends keyof Of & string>(record: Of, ...names: Name[]) =>
  Object.fromEntries(names.map((name) => [snake(name), record[name]])) as { [Each in Name as Snake<Each>]: Of[Each] }
