/** What can happen to the webhooks of an act, with the journal's sentence about it. */
export const WEBHOOKS = {
  arrive: '',
  lost: ' Its webhooks were lost: the service polls the processor later.',
  twice: ' Each of its webhooks arrived twice.',
  reversed: ' Its webhooks arrived in reverse order.',
}
export type WebhookFault = keyof typeof WEBHOOKS

type Order = <Event>(events: Event[]) => Event[]

const ORDERS: { [Fault in Exclude<WebhookFault, 'arrive'>]: Order } = {
  lost: () => [],
  twice: (events) => events.flatMap((event) => [event, event]),
  reversed: (events) => events.toReversed(),
}

/** Runs an act at a processor and applies the fault to its webhooks. */
export async function withWebhooks(
  emulator: { holdWebhooks(): void; sendHeldWebhooks(order: Order): Promise<unknown> },
  fault: WebhookFault,
  act: () => Promise<void>,
): Promise<void> {
  if (fault === 'arrive') return act()
  emulator.holdWebhooks()
  try {
    await act()
  } finally {
    await emulator.sendHeldWebhooks(ORDERS[fault])
  }
}
