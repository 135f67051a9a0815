/** A secret that we made for the owner. It is shown this once. */
export interface MadeSecret {
  what: string
  secret: string
}
