import { describe, expect, test } from 'vitest'
import { anonymousBuyer, payOnPage } from '../support/anonymous.ts'
import { call } from '../support/call.ts'
import { newEmail } from '../support/checkout.ts'
import { signIn } from '../support/exchange.ts'
import { paywall } from '../support/paywall.ts'
import { paywallFile } from '../support/paywall-file.ts'
import { allRows, createUserInEveryTable, MARK } from '../support/user-in-every-table.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()

const users = (verb: string, email: string, ...rest: string[]) =>
  paywall(world, ['users', verb, email, '--owner', world.file.owner.email, ...rest])

describe('users export', () => {
  test('prints everything that the database has about a person, and no hash of a secret', async () => {
    const { email, id } = await createUserInEveryTable(world)
    const { code, out, err } = await users('export', email.toUpperCase())
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const exported = JSON.parse(out)
    expect(exported).toMatchObject({
      email,
      owner: world.file.owner.email,
      users: [{ id, email }],
      members: [{ user_id: id, name: `${MARK} Ann`, meta: { note: `${MARK} meta` } }],
      checkouts: [{ shop_url: `https://shop.example/?who=${MARK}` }],
      purchases: [{ user_id: id, status: 'active' }],
      payments: [{ kind: 'succeeded', amount: 999 }],
      balances: expect.arrayContaining([expect.objectContaining({ type: 'premium', count: 7 })]),
      ledger: expect.arrayContaining([expect.objectContaining({ type: 'premium', delta: 7 })]),
      tickets: [
        { user_id: id, content: `${MARK} content` },
        { user_id: null, customer_email: email },
      ],
      ticket_attachments: [{ file_name: `${MARK}.png` }],
      sign_in_sessions: expect.arrayContaining([expect.objectContaining({ user_id: id })]),
      ticket_quotas: expect.arrayContaining([expect.objectContaining({ who: `email:${email}` })]),
    })
    const types = exported.events.map(({ type }: { type: string }) => type)
    expect(types).toEqual(expect.arrayContaining(['checkout.completed', 'payment.succeeded', 'ticket.created']))
    expect(types.filter((type: string) => type === 'ticket.created')).toHaveLength(2)
    expect(out).not.toMatch(/_hash"/)

    // Every row about the person is in the output.
    const marked = (await allRows(world)).filter((row) => row.includes(email) || row.includes(id))
    const tables = new Set(marked.map((row) => row.split(':')[0]!))
    for (const table of tables) {
      if (table === 'deliveries') continue // has no personal data of its own
      expect(exported[table], table).toHaveLength(marked.filter((row) => row.startsWith(`${table}:`)).length)
    }
  })

  test('prints purchases made with the e-mail address without signing in', async () => {
    const email = newEmail()
    const { user, checkoutUrl } = await anonymousBuyer(world)
    await call(world, await payOnPage(checkoutUrl, email))
    const { code, out } = await users('export', email)
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ email, users: [], purchases: [{ user_id: user.id, buyer_email: email }] })
  })

  test('prints nothing about other users, and nothing for another owner', async () => {
    const [one, other] = [await signIn(world), await signIn(world)]
    const { out } = await users('export', one.email)
    expect(out).not.toContain(other.id)
    const elsewhere = await paywallFile()
    await world.apply(elsewhere)
    const args = ['users', 'export', one.email, '--owner', elsewhere.owner.email]
    expect(await paywall(world, args)).toEqual({
      code: 1,
      out: '',
      err: `paywall: owner ${elsewhere.owner.email} has no data about ${one.email}\n`,
    })
  })
})

describe('users refuses a wrong call with a message only', () => {
  test.each([
    ['for a missing address', ['users', 'export', '--owner', 'a@b.co'], /^paywall: missing required argument 'user'\n/],
    [
      'for a missing owner',
      ['users', 'erase', 'a@b.co', '--yes'],
      /^paywall: required option '--owner <email>' not specified\n/,
    ],
    [
      'for an unknown option',
      ['users', 'erase', 'a@b.co', '--owner', 'x@y.co', '--force'],
      /^paywall: unknown option '--force'\n/,
    ],
    [
      'for an unknown owner',
      ['users', 'export', 'a@b.co', '--owner', 'x@y.co'],
      /^paywall: there is no owner x@y.co\n$/,
    ],
  ])('%s', async (_what, args, sentence) => {
    const { code, out, err } = await paywall(world, args)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(sentence)
  })
})
