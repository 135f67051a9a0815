import { Refusal } from './emulator-error.ts'

/** An error of a processor. `executed` is false for errors found before the endpoint runs. */
interface Known {
  status?: number
  executed?: boolean
  message: string
  param?: string
}

type Values = Record<string, string | number>

/**
 * Errors by name from a JSON file. `{id}` in a message is replaced by the value with that name. `param`, the wrong parameter, comes
 * from the values or else from the file. `toBody` creates the response's body.
 */
export const catalogue =
  <Name extends string>(errors: Record<Name, Known>, toBody: (detail: object) => object) =>
  (name: Name, values: Values = {}): Refusal => {
    const { status = 400, executed, message: template, ...detail }: Known = errors[name]
    const message = template.replaceAll(/\{(\w+)\}/g, (_, field) => String(values[field]))
    const { param = detail.param } = values
    return new Refusal(status, message, toBody({ ...detail, message, ...(param !== undefined && { param }) }), executed)
  }
