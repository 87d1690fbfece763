/** A year of an exchange beside its usual days, by day since 1970. */
export interface ExchangeYear {
  /** Days without a session. Weekends need not be among them. */
  readonly closed: ReadonlySet<number>
  /** Days that open or close at another time, in hours after the usual one. */
  readonly hours: ReadonlyMap<number, { readonly opens?: number; readonly closes?: number }>
}
