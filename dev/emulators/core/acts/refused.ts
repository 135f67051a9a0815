/** An act that is not possible at the moment. Controls of an emulator throw an `EmulatorError` instead. */
export class Refused extends Error {
  override name = 'Refused'
}
