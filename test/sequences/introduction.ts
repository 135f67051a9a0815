/** The beginning of docs/events.md. */
export const INTRODUCTION = `# Sequences of events

What a webhook endpoint gets, and in which order. The tables below are from scenarios that run with the tests
(\`test/sequences/\`), at an emulated Stripe, where each step happens as described. [contract.md](contract.md#events-to-the-owner) describes the
types, and the API reference their bodies.

What is promised:

- The events about a user arrive in the order of \`data.sequence\`, which has no gaps. So a step's events arrive after those of the step before.
- Within a step the order may differ from the table's: a processor reports a purchase and its payment separately, and either may come first.
- Events about different users have no order, except that \`user.merged\` arrives after all events about the merged user.
- A read by REST after an event shows at least what the event shows: \`user\`, and \`bootstrap\` with a token, read what was committed with the
  event, or later. The public part of bootstrap, without a user, is cached for ten seconds at the edge; no event is about it.
- An event may arrive more than once, with the same \`id\`.

At other processors less or more time may pass between a step and its events: Stripe charges a renewal an hour after the period has begun, which is
why \`subscription.updated\` comes before \`subscription.renewed\`, and not every processor has a webhook of a cancellation
([capabilities](processors/capabilities.md)). With \`balance.changed\` in an endpoint's list, the tokens of a price are also reported.`
