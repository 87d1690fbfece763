import { Effect, Option } from "effect"
import { HttpServer } from "effect/http"

const listensAt = ({ address }: HttpServer.HttpServer["Service"]): string => {
  const text = HttpServer.formatAddress(address)
  return "port" in address && !/\/\/(0\.0\.0\.0|\[::\])(:|$)/.test(text) ? text : ""
}

/**
 * What stands before the addresses that results contain: the public URL, or the address on which this process listens.
 * Empty where it listens on every address: a path alone is right for whoever asks. What a request says of its host is
 * never used, because results are stored and shown to others.
 */
export const reachedAt = (publicUrl: string | undefined): Effect.Effect<string> =>
  publicUrl === undefined
    ? Effect.map(Effect.serviceOption(HttpServer.HttpServer), Option.match({ onNone: () => "", onSome: listensAt }))
    : Effect.succeed(publicUrl.replace(/\/+$/, ""))
