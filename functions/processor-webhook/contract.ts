import * as z from 'zod'
import type { ApiOperation } from '../../lib/http/api-operation.ts'
import { defineWords } from '../../lib/http/errors.ts'
import { ACQUIRING } from '../../lib/processors/acquiring.ts'

export const PATH = '/webhooks/:acquiring/:id'

export const Params = z.object({ acquiring: z.enum(ACQUIRING).describe('Which processor this is') })

/** How this endpoint says each refusal. */
export const words = defineWords<'unknown_processor' | 'unknown_paywall' | 'forged'>({
  unknown_processor: [404, 'not_found'],
  unknown_paywall: [404, 'paywall_not_found'],
  forged: [400, 'invalid_signature'],
})

export const Reply = z.object({ received: z.literal(true) })

export const operations: ApiOperation[] = [
  {
    id: 'processorWebhook',
    method: 'post',
    path: PATH,
    tag: 'Processors',
    summary: 'Take an event of a processor',
    description:
      "Give this address to the processor, in its own dashboard. The body and its signature are the processor's; an " +
      'event is proven and then taken as a hint to look at the purchase. It may come any number of times, in any order.',
    access: ['anybody'],
    // Processors send bursts from few addresses, and each event is proven by its signature.
    countedBy: 'nothing',
    params: Params,
    rawBody: { name: 'ProcessorEvent', schema: z.looseObject({}).describe("In the processor's own format") },
    reply: {
      status: 200,
      description: 'It took effect, or had before',
      body: { name: 'Received', schema: Reply, example: { received: true } satisfies z.input<typeof Reply> },
    },
    words,
    needs: ['processor'],
  },
]
