import { Effect, Redacted, type Scope } from "effect"
import OpenAI from "openai"
import { Agent, type Dispatcher, fetch as undiciFetch } from "undici"
import {
  defaultPatience,
  InvalidOpenAiOptions,
  openAiUrl,
  type Patience,
  problemOfBaseUrl,
  problemOfKey,
  type ProviderOptions
} from "../options.ts"
import { fieldsOf } from "../usage.ts"
import { Silent, watched } from "./watched.ts"

/** More than the longest answer with all that is sent around each of its tokens. */
const maxBodyBytes = 64 * 1024 * 1024

/** A provider, to be asked. */
export interface Provider {
  readonly client: OpenAI
  readonly patience: Required<Patience>
  /** Empty without a key. */
  readonly secret: string
  /** As telemetry names it. */
  readonly address: { readonly host: string; readonly port: number }
  /** The same provider, for a request before whose answer it may be silent for this long at most. */
  readonly within: (silenceMs: number | undefined) => Provider
}

/**
 * Requests over connections of its own: HTTP/1.1, so that a request that is given up is a socket that is closed; a
 * limit of time for connecting, which `fetch` has no way to set; redirections are not followed, which would send the
 * conversation where nobody configured it to go.
 */
const fetchOver =
  (dispatcher: Dispatcher, { firstByteMs, idleMs }: Required<Patience>): typeof fetch => async (url, init) => {
    const late = new AbortController()
    const begun = performance.now()
    const timer = setTimeout(() => late.abort(new Silent(firstByteMs)), firstByteMs)
    const signals = init?.signal == null ? [late.signal] : [init.signal, late.signal]
    const address = url instanceof Request ? url.url : url
    const given = { ...init, signal: AbortSignal.any(signals), redirect: "manual", dispatcher }
    // The same interfaces, declared twice: by undici, and by Node's types for the copy of it that Node carries.
    const options = given as Parameters<typeof undiciFetch>[1]
    try {
      const answer = await undiciFetch(address, options)
      // As above.
      const body = answer.body as ReadableStream<Uint8Array> | null
      const firstMs = Math.max(1, firstByteMs - (performance.now() - begun))
      const read = body === null ? null : watched(body, { firstMs, idleMs, maxBytes: maxBodyBytes })
      const head = { status: answer.status, headers: [...answer.headers] }
      return answer.ok || read === null ? new Response(read, head) : new Response(await plainError(read), head)
    } finally {
      clearTimeout(timer)
    }
  }

/** More than any error says. */
const maxErrorUnits = 65_536

/** What a server says of an error, in OpenAI's form: others put it into a list, or leave out what is around it. */
const plainError = async (body: ReadableStream<Uint8Array>): Promise<string> => {
  let text = ""
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    text += piece
    if (text.length > maxErrorUnits) break
  }
  try {
    const value: unknown = JSON.parse(text)
    const first: unknown = Array.isArray(value) ? value[0] : value
    return JSON.stringify("error" in fieldsOf(first) ? first : { error: first })
  } catch {
    return JSON.stringify({ error: { message: /^\s*</u.test(text) ? "" : text } })
  }
}

const checked = ({ apiKey, baseUrl }: ProviderOptions): Effect.Effect<void, InvalidOpenAiOptions> => {
  const problem = (baseUrl === undefined ? undefined : problemOfBaseUrl(baseUrl)) ??
    (apiKey === undefined ? undefined : problemOfKey(Redacted.value(apiKey)))
  return problem === undefined ? Effect.void : Effect.fail(new InvalidOpenAiOptions({ problem }))
}

/** Its connections are closed with the scope. It tries nothing twice, logs nothing, and reads no key elsewhere. */
export const makeProvider = Effect.fnUntraced(function*(
  options: ProviderOptions
): Effect.fn.Return<Provider, InvalidOpenAiOptions, Scope.Scope> {
  yield* checked(options)
  const secret = options.apiKey === undefined ? "" : Redacted.value(options.apiKey)
  const baseURL = options.baseUrl?.replace(/\/+$/u, "") ?? openAiUrl
  const connectMs = options.patience?.connectMs ?? defaultPatience.connectMs
  const { makeDispatcher = (own) => new Agent(own) } = options
  const dispatcher = yield* Effect.acquireRelease(
    Effect.sync(() =>
      makeDispatcher({ connect: { timeout: connectMs }, allowH2: false, headersTimeout: 0, bodyTimeout: 0 })
    ),
    (dispatcher) => Effect.promise(() => dispatcher.destroy())
  )
  const { hostname, port, protocol } = new URL(baseURL)
  const providerWith = (patience: Required<Patience>): Provider => ({
    client: new OpenAI({
      baseURL,
      // It wants one, and sends none when the header is taken away.
      apiKey: secret === "" ? "none" : secret,
      ...(secret === "" ? { defaultHeaders: { Authorization: null } } : {}),
      adminAPIKey: null,
      organization: null,
      project: null,
      webhookSecret: null,
      maxRetries: 0,
      // The limits of time are ours.
      timeout: 2_147_483_647,
      logLevel: "off",
      fetch: fetchOver(dispatcher, patience)
    }),
    patience,
    secret,
    address: { host: hostname, port: port === "" ? (protocol === "https:" ? 443 : 80) : Number(port) },
    within: (silenceMs) =>
      silenceMs === undefined || silenceMs >= patience.firstByteMs
        ? provider
        // The connection is made within this time, too.
        : providerWith({ ...patience, firstByteMs: silenceMs })
  })
  const provider = providerWith({ ...defaultPatience, ...options.patience })
  return provider
})
