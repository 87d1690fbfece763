/** The exceptions to an exchange's usual days in one year, by day since 1970. */
export interface ExchangeYear {
  /** Days without a session. Weekends may be omitted. */
  readonly closed: ReadonlySet<number>
  /** Days with other opening or closing times, in hours after the usual time. */
  readonly hours: ReadonlyMap<number, { readonly opens?: number; readonly closes?: number }>
}
