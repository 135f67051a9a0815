type Snake<Name extends string> = Name extends `${infer Head}${infer Rest}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${Snake<Rest>}`
  : ''

export const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Fields of a record that an object has by the same names, but written in snake case. */
export const snakeFields = <Of extends object, Name extends keyof Of & string>(record: Of, ...names: Name[]) =>
  Object.fromEntries(names.map((name) => [snake(name), record[name]])) as { [Each in Name as Snake<Each>]: Of[Each] }
