export type {
  AccountKeys,
  AccountMethods,
  AccountSessions,
  AccountUsage,
  IssuedKey,
  Key,
  ListPage,
  RefusedSignIn,
  SignedIn,
  SignInWays
} from "./account.ts"
export { type AnswerEvent, type Message, type SentEvent, type StoredEvent, textAfter } from "./agent/AnswerEvent.ts"
export type { AnswerStream } from "./agent/AnswerStream.ts"
export type { ConversationView, MessagePage, Page } from "./agent/conversation.ts"
export type { BellEvent, Notification } from "./bell/BellEvent.ts"
export type { BellOptions, BellStream } from "./bell/BellStream.ts"
export * from "./Client.ts"
export { createClient } from "./createClient.ts"
export {
  AnswerLost,
  CallFailed,
  type Candidate,
  type ClientError,
  ConnectionLost,
  DeadlineExceeded,
  isClientError,
  type Refusal,
  type RefusalOf,
  type TagOf,
  UnexpectedAnswer
} from "./errors.ts"
export type { CallOptions, ChargedOptions, ClientSettings } from "./settings.ts"
export type { BuiltIn, ToolAnswer, ToolMethod, Tools } from "./tools.ts"
