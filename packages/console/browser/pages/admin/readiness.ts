/** The readiness of the process, as its response reports it. */
export interface Readiness {
  /**
   * `elsewhere` means that the requested port does not serve the check. `unreachable` means that no response arrived.
   */
  readonly state: "ready" | "not ready" | "elsewhere" | "unreachable"
  /** The dependency that is missing if the process is not ready. */
  readonly detail: string
  /** The names of the unavailable market sources. */
  readonly sourcesAway: ReadonlyArray<string>
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const unavailableStates: ReadonlySet<unknown> = new Set(["failing", "limited", "blocked"])

/** Returns the names of the unavailable sources; an empty list for a body without sources. */
const findUnavailableSources = (body: unknown): ReadonlyArray<string> => {
  const market = isObject(body) ? body["market"] : undefined
  const sources = isObject(market) ? market["sources"] : undefined
  if (!Array.isArray(sources)) return []
  return sources.filter(isObject)
    .filter(({ state }) => unavailableStates.has(state))
    .map(({ source }) => String(source))
}

/** Converts a response of `/readyz`. Any program between the browser and the service can have sent the response. */
export const toReadiness = (status: number, body: unknown): Readiness => {
  const sourcesAway = findUnavailableSources(body)
  if (status === 200) return { state: "ready", detail: "", sourcesAway }
  if (status === 404) return { state: "elsewhere", detail: "", sourcesAway }
  const detail = isObject(body) && typeof body["detail"] === "string" ? body["detail"] : String(status)
  return { state: "not ready", detail, sourcesAway }
}

/** Requests the readiness once, because a retry would hide that the process is not ready. */
export const readReadiness = async (signal: AbortSignal): Promise<Readiness> => {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(10_000)])
    const response = await fetch("/readyz", { signal: limit, credentials: "omit", cache: "no-store" })
    const body: unknown = await response.json().catch(() => undefined)
    return toReadiness(response.status, body)
  } catch (error) {
    if (signal.aborted) throw error
    return { state: "unreachable", detail: "", sourcesAway: [] }
  }
}
