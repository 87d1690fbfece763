import { Effect, Redacted, type Scope } from "effect"
import OpenAI from "openai"
import { Agent, type Dispatcher, fetch as undiciFetch } from "undici"
import {
  defaultTimeouts,
  findBaseUrlProblem,
  findKeyProblem,
  InvalidOpenAiOptions,
  openAiUrl,
  type ProviderOptions,
  type Timeouts
} from "../options.ts"
import { toFields } from "../usage.ts"
import { SilenceTimeout, watchBody } from "./watchBody.ts"

/** The maximum size of a response body in bytes, larger than any valid answer. */
const maxBodyBytes = 64 * 1024 * 1024

export interface Provider {
  readonly client: OpenAI
  readonly timeouts: Required<Timeouts>
  /** The API key of the provider, or an empty text without a key. */
  readonly secret: string
  /** The host and port of the provider, for telemetry. */
  readonly address: { readonly host: string; readonly port: number }
  /** Returns the same provider with a shorter maximum time until the first byte of a response, in ms. */
  readonly withSilenceLimit: (silenceMs: number | undefined) => Provider
}

/**
 * Creates a `fetch` function with a connect timeout. Requests use HTTP/1.1, so that an aborted request closes its
 * socket. Redirects are not followed, because they would send the conversation to a URL that is not configured.
 */
const makeFetch =
  (dispatcher: Dispatcher, { firstByteMs, idleMs }: Required<Timeouts>): typeof fetch => async (url, init) => {
    const timeoutAbort = new AbortController()
    const startedAt = performance.now()
    const timer = setTimeout(() => timeoutAbort.abort(new SilenceTimeout(firstByteMs)), firstByteMs)
    const signals = init?.signal == null ? [timeoutAbort.signal] : [init.signal, timeoutAbort.signal]
    const address = url instanceof Request ? url.url : url
    const requestInit = { ...init, signal: AbortSignal.any(signals), redirect: "manual", dispatcher }
    // The cast is safe because the types of undici equal Node's types for the built-in copy of undici.
    const options = requestInit as Parameters<typeof undiciFetch>[1]
    try {
      const response = await undiciFetch(address, options)
      // The cast is safe because undici and Node declare equal stream types.
      const body = response.body as ReadableStream<Uint8Array> | null
      const firstMs = Math.max(1, firstByteMs - (performance.now() - startedAt))
      const watchedBody = body === null ? null : watchBody(body, { firstMs, idleMs, maxBytes: maxBodyBytes })
      const responseInit = { status: response.status, headers: [...response.headers] }
      return response.ok || watchedBody === null
        ? new Response(watchedBody, responseInit)
        : new Response(await readError(watchedBody), responseInit)
    } finally {
      clearTimeout(timer)
    }
  }

/** The maximum number of UTF-16 units that are read of an error response. */
const maxErrorUnits = 65_536

/**
 * Returns the error object of a server in OpenAI's form. Some providers send the error object in a list or without
 * OpenAI's wrapper.
 */
const readError = async (body: ReadableStream<Uint8Array>): Promise<string> => {
  let text = ""
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    text += piece
    if (text.length > maxErrorUnits) break
  }
  try {
    const value: unknown = JSON.parse(text)
    const first: unknown = Array.isArray(value) ? value[0] : value
    return JSON.stringify("error" in toFields(first) ? first : { error: first })
  } catch {
    return JSON.stringify({ error: { message: /^\s*</u.test(text) ? "" : text } })
  }
}

const requireValidOptions = ({ apiKey, baseUrl }: ProviderOptions): Effect.Effect<void, InvalidOpenAiOptions> => {
  const problem = (baseUrl === undefined ? undefined : findBaseUrlProblem(baseUrl)) ??
    (apiKey === undefined ? undefined : findKeyProblem(Redacted.value(apiKey)))
  return problem === undefined ? Effect.void : Effect.fail(new InvalidOpenAiOptions({ problem }))
}

/**
 * Creates the HTTP client of a model provider. The client does not retry, does not log, and reads no keys from the
 * environment.
 */
export const makeProvider = Effect.fnUntraced(function*(
  options: ProviderOptions
): Effect.fn.Return<Provider, InvalidOpenAiOptions, Scope.Scope> {
  yield* requireValidOptions(options)
  const secret = options.apiKey === undefined ? "" : Redacted.value(options.apiKey)
  const baseURL = options.baseUrl?.replace(/\/+$/u, "") ?? openAiUrl
  const connectMs = options.timeouts?.connectMs ?? defaultTimeouts.connectMs
  const { makeDispatcher = (agentOptions) => new Agent(agentOptions) } = options
  const dispatcher = yield* Effect.acquireRelease(
    Effect.sync(() =>
      makeDispatcher({ connect: { timeout: connectMs }, allowH2: false, headersTimeout: 0, bodyTimeout: 0 })
    ),
    (dispatcher) => Effect.promise(() => dispatcher.destroy())
  )
  const { hostname, port, protocol } = new URL(baseURL)
  const makeProviderWith = (timeouts: Required<Timeouts>): Provider => ({
    client: new OpenAI({
      baseURL,
      // The `openai` package requires a key. Without a secret, the placeholder "none" is never sent, because the
      // `Authorization` header is removed.
      apiKey: secret === "" ? "none" : secret,
      ...(secret === "" ? { defaultHeaders: { Authorization: null } } : {}),
      adminAPIKey: null,
      organization: null,
      project: null,
      webhookSecret: null,
      maxRetries: 0,
      // The timeout of the `openai` package is off, because `makeFetch` enforces the timeouts.
      timeout: 2_147_483_647,
      logLevel: "off",
      fetch: makeFetch(dispatcher, timeouts)
    }),
    timeouts,
    secret,
    address: { host: hostname, port: port === "" ? (protocol === "https:" ? 443 : 80) : Number(port) },
    withSilenceLimit: (silenceMs) =>
      silenceMs === undefined || silenceMs >= timeouts.firstByteMs
        ? provider
        // The timeout `firstByteMs` includes the time for connecting.
        : makeProviderWith({ ...timeouts, firstByteMs: silenceMs })
  })
  const provider = makeProviderWith({ ...defaultTimeouts, ...options.timeouts })
  return provider
})
