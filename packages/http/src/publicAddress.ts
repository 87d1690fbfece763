import { Effect, Option } from "effect"
import { HttpServer } from "effect/http"

const listeningAddress = ({ address }: HttpServer.HttpServer["Service"]): string => {
  const text = HttpServer.formatAddress(address)
  return "port" in address && !/\/\/(0\.0\.0\.0|\[::\])(:|$)/.test(text) ? text : ""
}

/**
 * Returns the base of URLs in results: the public URL, or the address on which the process listens. The base is empty
 * if the process listens on all addresses, so that results contain only paths. The `Host` of a request is never used,
 * because results are stored and shown to other users.
 */
export const publicAddress = (publicUrl: string | undefined): Effect.Effect<string> =>
  publicUrl === undefined
    ? Effect.map(
      Effect.serviceOption(HttpServer.HttpServer),
      Option.match({ onNone: () => "", onSome: listeningAddress })
    )
    : Effect.succeed(publicUrl.replace(/\/+$/, ""))
