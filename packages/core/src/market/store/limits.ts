/** The limits of the market store. Callers must split reads and writes that exceed the limits. */
export const marketStoreLimits = {
  /** The maximum number of rows per write. An event counts once for each of its subjects. */
  maxRowsPerWrite: 20_000,
  maxSubjectsPerWrite: 2_000,
  /** The maximum number of covered or lost intervals that one write may contain for a subject. */
  maxIntervalsPerWrite: 1_000,
  /** The maximum number of storage periods (months or years) with rows per write. */
  maxPeriodsPerWrite: 36,
  maxSubjectsPerEvent: 50,
  /** The maximum number of UTF-8 bytes of one document. */
  maxDocumentBytes: 1_048_576,
  maxTotalDocumentBytes: 33_554_432,
  /** The maximum number of stored subjects per kind. */
  maxSubjects: 10_000,
  maxDocuments: 20_000,
  maxSources: 1_000,
  maxLeads: 1_000,
  /** The maximum number of points, steps or events per read. */
  maxRowsPerRead: 250_000,
  maxLeaseMs: 3_600_000
} as const
