// The return URL for processors that redirect all buyers of an account to one signed URL:
// 1. read the paywall's account, and have the signed URL verified: it names the purchase, its buyer and its price
// 2. find its checkout, which may belong to another paywall of the owner that sells through the same account
// 3. if there is no checkout, or it is this paywall's and its sale is not stored yet, or with another plan, fetch and store the purchase,
//    which may find its checkout. If the processor is slow or down, redirect the browser anyway
// 4. redirect the browser to the checkout's return URL, which redirects to the owner's page
import type { Context } from 'hono'
import { findSale, readAccount } from '../../generated/calls.ts'
import { connect } from '../../lib/db/connect.ts'
import { ApiError, apiError } from '../../lib/http/errors.ts'
import { loggablePaywallId, paywallTarget } from '../../lib/http/paywall-target.ts'
import type { SealedAccount } from '../../lib/processors/account.ts'
import { type Processor, processorFor } from '../../lib/processors/client.ts'
import { InvalidSignature } from '../../lib/processors/event.ts'
import type { SignedSale } from '../../lib/processors/processor.ts'
import { signedErrors as errors, SignedParams } from './contract.ts'
import { syncWithTimeout } from './sync-with-timeout.ts'

type ReadAccountResult = { verdict: 'unknown_paywall' } | { verdict: 'found'; account: SealedAccount; now: string }

type FindSaleResult = { verdict: 'unknown_checkout' } | { verdict: 'found'; return_url: string; ask: boolean }

export async function followSignedReturn(c: Context<{ Bindings: Cloudflare.CheckoutReturnEnv }>): Promise<Response> {
  const path = SignedParams.safeParse(c.req.param())
  if (!path.success) throw apiError(errors.unknown_processor)
  const { acquiring } = path.data
  const target = paywallTarget(c)
  const { paywallId } = target
  if (!loggablePaywallId(paywallId)) throw apiError(errors.unknown_paywall)

  const db = connect(c.env)
  const row = await readAccount<ReadAccountResult>(db, { acquiring, ...target })
  if (row.verdict !== 'found') throw apiError(errors[row.verdict])

  const processor = processorFor(row.account, c.env)
  const { purchase, ...facts } = await readSale(processor, c.req.url)
  const sale = await findSale<FindSaleResult>(db, {
    paywallId,
    acquiring,
    snapshot: { processor_id: purchase.id, currency: facts.currency },
    sold: { email: facts.email, processor_price: facts.processorPrice, interval: facts.interval },
  })
  if (sale.verdict === 'found' && !sale.ask) {
    processor[Symbol.dispose]()
    return redirect(c, sale.return_url)
  }
  const context = { db, env: c.env, waitUntil: (work: Promise<unknown>) => c.executionCtx.waitUntil(work) }
  const stored = (await syncWithTimeout(context, processor, purchase, { paywallId, fetchedAt: row.now }))?.stored
  if (stored && 'return_url' in stored) return redirect(c, stored.return_url)
  if (sale.verdict === 'found') return redirect(c, sale.return_url)
  throw apiError(errors[sale.verdict])
}

function redirect(c: Context, returnUrl: string): Response {
  c.header('Cache-Control', 'no-store')
  return c.redirect(returnUrl, 303)
}

async function readSale(processor: Processor, address: string): Promise<SignedSale> {
  const sale = await processor.readReturn(address).catch((cause) => {
    processor[Symbol.dispose]()
    throw cause instanceof InvalidSignature ? new ApiError(errors.forged, { cause }) : cause
  })
  if (sale === null) throw apiError(errors.unknown_processor)
  return sale
}
