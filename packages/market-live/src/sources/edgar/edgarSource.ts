import { Effect } from "effect"
import { notConfigured, type Patience, type RateLimit } from "../../source/index.ts"

/** As results and errors name it, whichever of its hosts is asked. */
export const edgar = "edgar"

export interface EdgarOptions {
  /** Who asks: a name and an address for letters, which it wants of every program. Without one nothing is asked. */
  readonly contact?: string | undefined
  readonly baseUrl?: string
  readonly patience?: Partial<Patience>
}

export const headersOf = (contact: string): Readonly<Record<string, string>> => ({
  "user-agent": `Tapeline ${contact}`
})

/** It allows ten requests a second over all of its hosts. */
export const archiveLimits: ReadonlyArray<RateLimit> = [{ weight: 7, windowMs: 1_000 }]
export const dataLimits: ReadonlyArray<RateLimit> = [{ weight: 2, windowMs: 1_000 }]

/** To who asks too often, for ten minutes; the page for programs that do not say who they are is another one. */
export const edgarLimits403 = { says: /request rate threshold exceeded/iu, forMs: 600_000 }

export const absent = Effect.fail(
  notConfigured(edgar, "TAPELINE_EDGAR_CONTACT", "a name and an address for letters of who asks")
)
