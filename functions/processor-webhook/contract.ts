import * as z from 'zod'
import { signatureErrors } from '../../lib/auth/gate-errors.ts'
import type { ApiOperation } from '../../lib/http/api-operation.ts'
import { defineErrors } from '../../lib/http/errors.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'

export const PATH = '/webhooks/:acquiring/:id'

export const Params = z.object({ acquiring: z.enum(PROCESSOR_NAMES).describe('The processor that sends the event') })

/** The error for each refusal. */
export const errors = defineErrors<'unknown_processor' | 'unknown_paywall' | 'forged' | 'malformed'>({
  ...signatureErrors,
  malformed: [400, 'invalid_event', "The event is signed, but does not have the format of the processor's events"],
})

export const Reply = z.object({ received: z.literal(true) })

const Event = z.looseObject({}).describe("An event in the processor's own format")

export const operations: ApiOperation[] = [
  {
    id: 'processorWebhook',
    method: 'post',
    path: PATH,
    tag: 'Processors',
    summary: 'Receive an event from a processor',
    description:
      "Enter this URL in the processor's dashboard as its webhook URL. The signature of an event is verified. The " +
      'event then only triggers a fetch of the purchase from the processor, so events may arrive repeatedly and in ' +
      'any order. A processor that accepts a webhook URL per payment gets one that names the sale: such webhooks ' +
      'are unsigned, and only trigger a fetch of that purchase, too.',
    access: ['anybody'],
    // Processors send bursts from few addresses: once a correctly signed event has come from there, they have an owner's limit.
    countedBy: 'signature',
    params: Params,
    rawBody: { name: 'ProcessorEvent', schema: Event },
    reply: {
      status: 200,
      description: 'The event was received. A duplicate, or an event that concerns no purchase, changes nothing',
      body: { name: 'Received', schema: Reply, example: { received: true } satisfies z.input<typeof Reply> },
    },
    errors,
    needs: ['processor'],
  },
]
