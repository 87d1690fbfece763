import { Effect, Option } from "effect"
import { HttpServer } from "effect/http"

const listeningAddress = ({ address }: HttpServer.HttpServer["Service"]): string => {
  const text = HttpServer.formatAddress(address)
  return "port" in address && !/\/\/(0\.0\.0\.0|\[::\])(:|$)/.test(text) ? text : ""
}

/**
 * Returns the base of URLs in results: the public URL, or else the address on which the process listens. Returns an
 * empty text if the process listens on all addresses. The `Host` of a request is never the base of URLs in results,
 * because results are stored and shown to other users.
 */
export const publicAddress = (publicUrl: string | undefined): Effect.Effect<string> =>
  publicUrl === undefined
    ? Effect.map(
      Effect.serviceOption(HttpServer.HttpServer),
      Option.match({ onNone: () => "", onSome: listeningAddress })
    )
    : Effect.succeed(publicUrl.replace(/\/+$/, ""))
