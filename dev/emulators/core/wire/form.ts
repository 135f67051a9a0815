/** A decoded form: bracket notation as nested objects and arrays of strings. */
export interface Form {
  [name: string]: FormValue
}

export type FormValue = string | FormValue[] | Form

/** An object without a prototype, so that a parameter named `__proto__` is a plain field. */
const emptyForm = (): Form => Object.create(null)

/** Decodes `a[b][0][c]=v` and `a[]=v`. A later value for the same name replaces the earlier one. */
export function decodeForm(encoded: string): Form {
  const root = emptyForm()
  for (const [name, value] of new URLSearchParams(encoded)) assign(root, splitName(name), value)
  return Object.assign(emptyForm(), mapValues(root, toArrays))
}

/** Encodes a path as a parameter name: `line_items[0][price]`. */
export function parameterName(path: readonly PropertyKey[]): string {
  return path.map((part, depth) => (depth === 0 ? String(part) : `[${String(part)}]`)).join('')
}

function splitName(name: string): string[] {
  const [head = '', ...rest] = name.split('[')
  return [head, ...rest.map((part) => part.replace(/\]$/, ''))]
}

function assign(root: Form, path: string[], value: string): void {
  let node = root
  for (const [depth, part] of path.entries()) {
    const key = part === '' ? String(Object.keys(node).length) : part
    if (depth === path.length - 1) {
      node[key] = value
      return
    }
    const next = node[key]
    node = node[key] = isForm(next) ? next : emptyForm()
  }
}

/** Converts objects whose keys are all numbers to arrays. */
function toArrays(value: FormValue): FormValue {
  if (!isForm(value)) return value
  const keys = Object.keys(value)
  if (keys.every((key) => /^\d+$/.test(key))) return keys.map((key) => toArrays(value[key] ?? ''))
  return mapValues(value, toArrays)
}

function mapValues(form: Form, map: (value: FormValue) => FormValue): Form {
  const mapped = emptyForm()
  for (const [key, value] of Object.entries(form)) mapped[key] = map(value)
  return mapped
}

const isForm = (value: FormValue | undefined): value is Form => typeof value === 'object' && !Array.isArray(value)
