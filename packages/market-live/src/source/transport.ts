import { Clock, Effect } from "effect"
import { type Fault, malformed, seconds, unreachable } from "./fault.ts"

/** An HTTP response that was received to its end. */
export interface RawResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export interface OutgoingRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** `maxMs` is the maximum duration of a large response. `setArriving` reports whether the response is arriving. */
  readonly large?: { readonly maxMs: number; readonly setArriving: (is: boolean) => void }
  readonly maxBytes: number
  readonly binary: boolean
  /** The body of a POST request, without which the request is a GET. */
  readonly form?: string
}

class TooLarge extends Error {}
class NotText extends Error {}

const systemCode = (error: unknown): string | undefined => {
  let at: unknown = error
  for (let depth = 0; depth < 8 && at instanceof Error; depth++) {
    if ("code" in at && typeof at.code === "string" && /^[A-Z0-9_]{2,40}$/u.test(at.code)) return at.code
    at = at.cause
  }
  return undefined
}

const charsetOf = (headers: Headers): string =>
  /charset=\s*"?([\w.:-]{1,40})/iu.exec(headers.get("content-type") ?? "")?.[1] ?? "utf-8"

const decoderOf = (headers: Headers): InstanceType<typeof TextDecoder> => {
  try {
    return new TextDecoder(charsetOf(headers), { fatal: true })
  } catch {
    throw new NotText()
  }
}

const textOf = (decoder: InstanceType<typeof TextDecoder>) => (bytes: Buffer): string => {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new NotText()
  }
}

const readText = async (
  response: Response,
  { binary, maxBytes }: OutgoingRequest,
  onPart: () => void
): Promise<string> => {
  const decode = binary ? (bytes: Buffer) => bytes.toString("latin1") : textOf(decoderOf(response.headers))
  if (response.body === null) return ""
  const parts: Array<Uint8Array> = []
  let bytes = 0
  // The limit counts decompressed bytes, so that a small compressed body cannot fill the memory.
  for await (const part of response.body) {
    bytes += part.byteLength
    if (bytes > maxBytes) throw new TooLarge()
    parts.push(part)
    onPart()
  }
  return decode(Buffer.concat(parts))
}

const faultOf = (error: unknown, maxBytes: number): Fault => {
  // A body that exceeds the size limit is of unknown content, so the fault is `unreachable` and not `malformed`.
  if (error instanceof TooLarge) {
    return { ...unreachable(`the response exceeds ${maxBytes} bytes`, false), hasResponded: true }
  }
  if (error instanceof NotText) return malformed("the response does not have its declared encoding")
  const code = systemCode(error)
  return unreachable(`the connection failed${code === undefined ? "" : ` (${code})`}`)
}

/** Fails if nothing arrives for `timeoutMs`, or if a large response exceeds its maximum duration. */
const failOnSilence = (
  { large, timeoutMs }: OutgoingRequest,
  lastAt: () => number | undefined
): Effect.Effect<never, Fault> =>
  Effect.gen(function*() {
    const maxMs = large?.maxMs ?? timeoutMs
    const beganAt = yield* Clock.currentTimeMillis
    let sleepMs = timeoutMs
    while (true) {
      yield* Effect.sleep(sleepMs)
      const [at, now] = [lastAt(), yield* Clock.currentTimeMillis]
      if (at === undefined) return yield* Effect.fail(unreachable(`no response within ${seconds(timeoutMs)}`))
      if (now - at >= timeoutMs) {
        return yield* Effect.fail(unreachable(`the response stalled for ${seconds(timeoutMs)}`, false))
      }
      const leftMs = beganAt + maxMs - now
      if (leftMs <= 0) return yield* Effect.fail(unreachable(`the response did not end within ${seconds(maxMs)}`))
      // The sleep is at most `timeoutMs`, because the clock may have been set back.
      sleepMs = Math.min(timeoutMs, at + timeoutMs - now, leftMs)
    }
  })

/**
 * Sends one request, a GET or a POST with a form, and reads the response with limited time and size. Redirects are not
 * followed: a source that moved is reported as a fault.
 *
 * One timeout covers headers and body. A timeout between parts would never end a response with an endless, slow body. A
 * large response has two timeouts: one for each silence, and one for the whole response. The timeouts use Effect's
 * clock, so that tests control them.
 */
export const send = (sent: OutgoingRequest): Effect.Effect<RawResponse, Fault> => {
  const { form, headers, large, maxBytes, url } = sent
  const fetchResponse = (onPart: () => void) =>
    Effect.tryPromise({
      try: async (signal) => {
        const unreadBody = new AbortController()
        try {
          const response = await fetch(url, {
            headers: { accept: "*/*", ...headers },
            ...(form === undefined ? {} : { method: "POST", body: form }),
            redirect: "manual",
            signal: AbortSignal.any([signal, unreadBody.signal])
          })
          return { status: response.status, headers: response.headers, text: await readText(response, sent, onPart) }
        } catch (error) {
          // An unread body keeps its connection open until the body is aborted.
          unreadBody.abort()
          throw error
        }
      },
      catch: (error) => faultOf(error, maxBytes)
    })
  return Effect.clockWith((clock) => {
    let lastAt: number | undefined
    const onPart = () => {
      if (large === undefined) return
      lastAt = clock.currentTimeMillisUnsafe()
      large.setArriving(true)
    }
    return Effect.raceFirst(fetchResponse(onPart), failOnSilence(sent, () => lastAt)).pipe(
      Effect.ensuring(Effect.sync(() => large?.setArriving(false)))
    )
  })
}
