/** What cannot happen at that moment, says the processor's API. The controls of an emulator throw `EmulatorError` instead. */
export class Refused extends Error {
  override name = 'Refused'
}
