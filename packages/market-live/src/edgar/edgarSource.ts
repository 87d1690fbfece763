import { Effect } from "effect"
import { notConfigured, type RateLimit, type RetryPolicy } from "../source/index.ts"

export const edgarName = "edgar"

export interface EdgarOptions {
  /**
   * The operator's name and email address. EDGAR requires the name and the address in every request, so no request is
   * sent without a contact.
   */
  readonly contact?: string | undefined
  readonly baseUrl?: string | undefined
  readonly retryPolicy?: Partial<RetryPolicy>
}

export const headersOf = (contact: string): Readonly<Record<string, string>> => ({
  "user-agent": `Tapeline ${contact}`
})

/** The rate limits of each EDGAR host. EDGAR allows ten requests a second for all hosts together. */
export const archiveLimits: ReadonlyArray<RateLimit> = [{ weight: 7, windowMs: 1_000 }]
export const dataLimits: ReadonlyArray<RateLimit> = [{ weight: 2, windowMs: 1_000 }]

/** Matches the 403 response of EDGAR's rate limit, which lasts ten minutes. */
export const edgarRateLimit403 = { pattern: /request rate threshold exceeded/iu, pauseMs: 600_000 }

export const noContactError = Effect.fail(
  notConfigured(edgarName, "TAPELINE_EDGAR_CONTACT", "a contact name and email address")
)
