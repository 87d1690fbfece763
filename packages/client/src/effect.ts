import type { ToolSpecification } from "@tapeline/core/specifications"
import { Config, Context, Effect, Layer, Redacted, Stream } from "effect"
import type { AccountMethods } from "./account.ts"
import type { AnswerEvent, Message } from "./agent/AnswerEvent.ts"
import type { AgentMethods, Client, ConversationMethods, ProposalMethods } from "./Client.ts"
import { createClient } from "./createClient.ts"
import { type ClientError, isClientError } from "./errors.ts"
import type { NotificationEvent } from "./notifications/NotificationStream.ts"
import type { ClientSettings } from "./settings.ts"
import { type BuiltIn, makeToolProxy, type Tools } from "./tools.ts"

export * from "./index.ts"

/**
 * Converts the type of a method that returns a promise to the type of a method that returns an effect. Interrupting the
 * effect aborts the request.
 */
type EffectMethod<Method> = Method extends (...args: infer Args) => Promise<infer A>
  ? (...args: Args) => Effect.Effect<A, ClientError>
  : never

/**
 * Converts the type of a method that returns an async iterable to the type of a method that returns an Effect `Stream`.
 */
type StreamMethod<Method, A> = Method extends (...args: infer Args) => AsyncIterable<A>
  ? (...args: Args) => Stream.Stream<A, ClientError>
  : never

type EffectMethods<Interface, Streams extends keyof Interface, A> = {
  readonly [Name in keyof Interface]: Name extends Streams ? StreamMethod<Interface[Name], A>
    : EffectMethod<Interface[Name]>
}

/** A client with the methods of `Client`, which return effects and streams with typed errors. */
export type EffectClient<Specifications extends ReadonlyArray<ToolSpecification> = BuiltIn> =
  & {
    readonly [
      Name in Exclude<keyof Client, "tools" | "account" | "agent" | "proposals" | "conversations" | "notifications">
    ]: EffectMethod<
      Client[Name]
    >
  }
  & {
    readonly tools: {
      readonly [Name in keyof Tools<Specifications>]: EffectMethod<Tools<Specifications>[Name]>
    }
    readonly account: EffectMethods<AccountMethods, never, never>
    readonly agent: EffectMethods<AgentMethods, "stream" | "resume", AnswerEvent>
    readonly proposals: EffectMethods<ProposalMethods, never, never>
    readonly conversations: EffectMethods<ConversationMethods, "messages", Message>
    readonly notifications: StreamMethod<Client["notifications"], NotificationEvent>
  }

type AnyFunction<A> = (...args: ReadonlyArray<unknown>) => A

const withSignal = (
  args: ReadonlyArray<unknown>,
  optionsIndex: number,
  signal: AbortSignal
): ReadonlyArray<unknown> => {
  const options = args[optionsIndex]
  return [
    ...Array.from({ length: optionsIndex }, (_, i) => args[i]),
    { ...(typeof options === "object" ? options : {}), signal },
    ...args.slice(optionsIndex + 1)
  ]
}

/**
 * Converts every error except `ClientError` to a defect, because other errors mean that the caller passed wrong
 * arguments.
 */
const withClientErrors = <A>(effect: Effect.Effect<A, unknown>): Effect.Effect<A, ClientError> =>
  Effect.catch(effect, (error) => isClientError(error) ? Effect.fail(error) : Effect.die(error))

const toEffect = <Method>(method: Method, optionsIndex = 1): EffectMethod<Method> => {
  // The cast is needed because TypeScript cannot resolve `EffectMethod<Method>` for a type parameter `Method`.
  const call = method as AnyFunction<Promise<unknown>>
  const effectMethod = (...args: ReadonlyArray<unknown>) =>
    withClientErrors(
      Effect.tryPromise({ try: (signal) => call(...withSignal(args, optionsIndex, signal)), catch: (error) => error })
    )
  return effectMethod as EffectMethod<Method> // The cast is needed for the reason that `call` above needs a cast.
}

const toStream = <A, Method>(method: Method): StreamMethod<Method, A> => {
  // The cast is needed because TypeScript cannot resolve `StreamMethod<Method>` for a type parameter `Method`.
  const call = method as AnyFunction<AsyncIterable<A>>
  const streamMethod = (...args: ReadonlyArray<unknown>) =>
    Stream.suspend(() => Stream.fromAsyncIterable(call(...args), (error) => error)).pipe(
      Stream.catch((error) => isClientError(error) ? Stream.fail(error) : Stream.die(error))
    )
  return streamMethod as StreamMethod<Method, A> // The cast is needed for the reason that `call` above needs a cast.
}

/** Converts a client that returns promises to a client that returns effects and streams. */
export const toEffectClient = <Specifications extends ReadonlyArray<ToolSpecification>>(
  client: Client<Specifications>
): EffectClient<Specifications> => {
  const { account, agent, conversations, proposals } = client
  const tools = makeToolProxy((name) => toEffect((args: unknown, options: object) => client.call(name, args, options)))
  return {
    // The cast is safe because the proxy has a method for any name. The tools' names exist only as types.
    tools: tools as EffectClient<Specifications>["tools"],
    call: toEffect(client.call, 2),
    catalogue: toEffect(client.catalogue),
    usage: toEffect(client.usage),
    quote: toEffect(client.quote),
    chart: toEffect(client.chart),
    openapi: toEffect(client.openapi, 0),
    health: toEffect(client.health, 0),
    readiness: toEffect(client.readiness, 0),
    account: {
      signIn: toEffect(account.signIn),
      signInWays: toEffect(account.signInWays, 0),
      signOut: toEffect(account.signOut, 0),
      read: toEffect(account.read, 0),
      usage: toEffect(account.usage),
      keys: toEffect(account.keys),
      issueKey: toEffect(account.issueKey),
      changeKey: toEffect(account.changeKey, 2),
      rotateKey: toEffect(account.rotateKey, 2),
      revokeKey: toEffect(account.revokeKey),
      sessions: toEffect(account.sessions),
      endSession: toEffect(account.endSession),
      endOtherSessions: toEffect(account.endOtherSessions),
      exportData: toEffect(account.exportData)
    },
    agent: {
      ask: toEffect(agent.ask),
      cancel: toEffect(agent.cancel),
      stream: toStream(agent.stream),
      resume: toStream(agent.resume)
    },
    proposals: {
      read: toEffect(proposals.read),
      accept: toEffect(proposals.accept),
      dismiss: toEffect(proposals.dismiss)
    },
    conversations: {
      list: toEffect(conversations.list),
      read: toEffect(conversations.read, 2),
      remove: toEffect(conversations.remove),
      messages: toStream(conversations.messages)
    },
    notifications: toStream(client.notifications)
  }
}

/**
 * Creates a client whose methods return effects and streams. For typed methods of additional tools, set the type
 * parameter `Specifications`.
 */
export const makeClient = <Specifications extends ReadonlyArray<ToolSpecification> = BuiltIn>(
  settings: ClientSettings
): EffectClient<Specifications> => toEffectClient(createClient<Specifications>(settings))

/** The Effect service that provides an `EffectClient`. */
export class Tapeline extends Context.Service<Tapeline, EffectClient>()("@tapeline/client/Tapeline") {
  static readonly layer = (settings: ClientSettings): Layer.Layer<Tapeline> =>
    Layer.sync(Tapeline, () => makeClient(settings))
}

/** Provides the client with the service's URL from `TAPELINE_URL` and the API key from `TAPELINE_API_KEY`. */
// Pure annotations let bundlers drop the layer and Effect's configuration code from pages that do not use the layer.
export const layerConfig: Layer.Layer<Tapeline, Config.ConfigError> = /* #__PURE__ */ Layer.effect(
  Tapeline,
  /* #__PURE__ */ Effect.gen(function*() {
    const url = yield* Config.String("TAPELINE_URL")
    const key = yield* Config.Redacted("TAPELINE_API_KEY")
    return makeClient({ url, key: () => Redacted.value(key) })
  })
)
