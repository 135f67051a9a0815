import { expect, test } from 'vitest'
import { decodeForm } from '../../../../dev/emulators/core/wire/form.ts'

test('decodes nested fields and both list syntaxes', () => {
  const form = decodeForm(
    'line_items[0][price]=p1&line_items[1][price]=p2&expand[]=a&expand[]=b&metadata[a%20b]=%26&mode=x',
  )
  expect(JSON.parse(JSON.stringify(form))).toEqual({
    line_items: [{ price: 'p1' }, { price: 'p2' }],
    expand: ['a', 'b'],
    metadata: { 'a b': '&' },
    mode: 'x',
  })
})

test('treats __proto__ as an ordinary field name', () => {
  const form = decodeForm('metadata[__proto__][polluted]=yes&__proto__[polluted]=yes')
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  expect(Object.keys(form)).toEqual(['metadata', '__proto__'])
})

test('a later value replaces an earlier one, also if their shapes differ', () => {
  expect({ ...decodeForm('a=1&a[b]=2') }).toMatchObject({ a: { b: '2' } })
  expect({ ...decodeForm('a[b]=2&a=1') }).toEqual({ a: '1' })
})
