import { Refusal } from './emulator-error.ts'

/** An error of a processor's. `executed` is false for what is found before the endpoint runs. */
interface Known {
  status?: number
  executed?: boolean
  message: string
  param?: string
}

type Values = Record<string, string | number>

/**
 * Errors by names, from a JSON file: `{id}` in a message is filled with the value of that name, and `param`, the parameter
 * that is wrong, is that of the values or else of the file. `bodyOf` makes the body of the response.
 */
export const catalogue =
  <Name extends string>(errors: Record<Name, Known>, bodyOf: (detail: object) => object) =>
  (name: Name, values: Values = {}): Refusal => {
    const { status = 400, executed, message: template, ...detail }: Known = errors[name]
    const message = template.replaceAll(/\{(\w+)\}/g, (_, field) => String(values[field]))
    const { param = detail.param } = values
    return new Refusal(status, message, bodyOf({ ...detail, message, ...(param !== undefined && { param }) }), executed)
  }
