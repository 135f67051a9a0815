/** What happens to the webhooks of something that is done at a processor. */
export const WEBHOOKS = {
  arrive: '',
  lost: ' Its webhooks got lost: the service asks the processor when the clock says so.',
  twice: ' Each of its webhooks came twice.',
  reversed: ' Its webhooks came in reverse order.',
}
export type WebhookFault = keyof typeof WEBHOOKS

type Order = <Event>(events: Event[]) => Event[]

const ORDERS: { [Fate in Exclude<WebhookFault, 'arrive'>]: Order } = {
  lost: () => [],
  twice: (events) => events.flatMap((event) => [event, event]),
  reversed: (events) => events.toReversed(),
}

/** Does something at a processor, whose webhooks then arrive or have another fate. */
export async function withWebhooks(
  emulator: { holdWebhooks(): void; sendHeldWebhooks(order: Order): Promise<unknown> },
  fate: WebhookFault,
  act: () => Promise<void>,
): Promise<void> {
  if (fate === 'arrive') return act()
  emulator.holdWebhooks()
  try {
    await act()
  } finally {
    await emulator.sendHeldWebhooks(ORDERS[fate])
  }
}
