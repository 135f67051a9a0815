import * as z from 'zod'

const Body = z.looseObject({
  data: z.looseObject({
    user: z.looseObject({ id: z.string().nullable() }).optional(),
    ticket: z.looseObject({}).optional(),
    checkout: z.looseObject({}).optional(),
  }),
})

/** An event's body as functions/forget-expired/forget-people.sql leaves it, and without the shop that a checkout was begun at. */
export function eventWithoutPerson(text: string): string {
  const body = Body.parse(JSON.parse(text))
  const { user, ticket, checkout } = body.data
  const data = {
    ...body.data,
    ...(user && { user: { id: user.id, email: null } }),
    ...(ticket && { ticket: { id: ticket.id, status: ticket.status, created_at: ticket.created_at } }),
    ...(checkout && { checkout: { ...checkout, shop_url: null } }),
  }
  return JSON.stringify({ ...body, data })
}
