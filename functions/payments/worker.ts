import type { HonoRequest } from 'hono'
import { findReceipt, listPayments } from '../../generated/calls.ts'
import type { PaymentList } from '../../lib/access/payment-list.ts'
import { readBearer } from '../../lib/auth/credential.ts'
import { bearerParameters } from '../../lib/auth/gate.ts'
import { connect } from '../../lib/db/connect.ts'
import { allowOnly, createApp } from '../../lib/endpoint/app.ts'
import { ApiError, apiError } from '../../lib/http/errors.ts'
import { parseQuery } from '../../lib/http/parse.ts'
import { paywallTarget } from '../../lib/http/paywall-target.ts'
import type { SealedAccount } from '../../lib/processors/account.ts'
import { processorFor } from '../../lib/processors/client.ts'
import type { PaidPayment } from '../../lib/processors/processor.ts'
import { errors, PATH, type PaymentsRefusal, Query, RECEIPT_PATH, type ReceiptReply } from './internal-contract.ts'

type ListResult = { verdict: PaymentsRefusal } | ({ verdict: 'found' } & PaymentList)
type FindResult = { verdict: PaymentsRefusal } | { verdict: 'found'; account: SealedAccount; payment: PaidPayment }

/** In seconds: how long a processor takes to make a document. */
const PENDING_SECONDS = 3

const app = createApp<Cloudflare.PaymentsEnv>()

app.get(PATH, async (c) => {
  const caller = { ...paywallTarget(c), ...(await authenticate(c.req, c.env)) }
  const row = await listPayments<ListResult>(connect(c.env), { ...caller, ...(await parseQuery(c.req, Query)) })
  if (row.verdict !== 'found') throw apiError(errors[row.verdict])
  const { payments, has_more } = row
  c.header('Cache-Control', 'private, no-store')
  return c.json({ payments, has_more } satisfies PaymentList)
})

app.get(RECEIPT_PATH, async (c) => {
  const caller = { ...paywallTarget(c), ...(await authenticate(c.req, c.env)) }
  const row = await findReceipt<FindResult>(connect(c.env), { ...caller, payment: c.req.param('payment') })
  if (row.verdict !== 'found') throw apiError(errors[row.verdict])

  using processor = processorFor(row.account, c.env)
  const receipt = await processor.openReceipt(row.payment)
  c.header('Cache-Control', 'private, no-store')
  switch (receipt?.kind) {
    case 'page':
      return c.json({ url: receipt.url } satisfies ReceiptReply)
    case 'pdf':
      return c.body(receipt.content, 200, { 'Content-Type': 'application/pdf' })
    case 'pending':
      throw new ApiError(errors.pending, { retryAfter: PENDING_SECONDS })
    case undefined:
      throw apiError(errors.no_receipt)
  }
})

app.all(PATH, allowOnly('GET', 'HEAD'))
app.all(RECEIPT_PATH, allowOnly('GET', 'HEAD'))

/** The token's user, as parameters of the database functions. */
async function authenticate(request: HonoRequest, env: Cloudflare.PaymentsEnv) {
  const credential = await readBearer(request, env)
  if (credential.kind === 'none') throw apiError(errors.no_credential)
  if (credential.kind === 'bad_token') throw apiError(errors.bad_token)
  return bearerParameters(credential)
}

export default app
