import { Schema } from "effect"
import { formatMessage } from "../messages/language.ts"
import { tokenFormat } from "./tokenFormat.ts"

/** A permission of an admin token. No admin scope includes the permissions of another admin scope. */
export const AdminScope = Schema.Literals(["metrics", "read", "write", "keys", "personal", "backup"])
export type AdminScope = typeof AdminScope.Type

/** The meaning of each admin scope, written for operators who create admin tokens. */
export const adminScopeMeanings: Readonly<Record<AdminScope, string>> = {
  metrics: "reads `/metrics`",
  read: "reads everything of the admin API",
  write: "changes accounts, stops their answers and tasks, ends their sessions, and creates sign-in links",
  keys: "issues, changes and revokes API keys and admin tokens, and changes webhooks",
  personal: "exports and erases the data of accounts",
  backup: "downloads a backup of the whole database"
}

/** Every admin scope, in the order of the specification. */
export const allAdminScopes: ReadonlyArray<AdminScope> = AdminScope.literals

/** The stored data of a named admin token. The text of the token is not stored, and times are in epoch milliseconds. */
export interface AdminTokenRecord {
  readonly id: number
  /** The name of the token. No two tokens that are neither revoked nor expired have the same name. */
  readonly name: string
  readonly scopes: ReadonlyArray<AdminScope>
  readonly createdAt: number
  /** The actor that created the token, as in events. */
  readonly createdBy: string
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  readonly lastUsedAt: number | null
}

const adminTokens = tokenFormat("tl_admin_")

/** Generates an admin token that consists of `tl_admin_`, random characters and a checksum. */
export const generateAdminToken = adminTokens.generate

/** Returns whether `text` has the form of an admin token and a correct checksum. A well-formed token need not exist. */
export const isWellFormedAdminToken = adminTokens.isWellFormed

/** The error for the id of an admin token that does not exist. */
export class UnknownAdminToken extends Schema.TaggedError<UnknownAdminToken>()("UnknownAdminToken", {
  token: Schema.Int
}) {
  override get message(): string {
    return formatMessage({ key: "unknown_admin_token", params: { id: this.token } }, "en")
  }
}

/** The error for the name of another admin token that is neither revoked nor expired. */
export class AdminTokenNameTaken extends Schema.TaggedError<AdminTokenNameTaken>()("AdminTokenNameTaken", {
  tokenName: Schema.String
}) {
  override get message(): string {
    return formatMessage({ key: "admin_token_name_taken", params: { name: this.tokenName } }, "en")
  }
}

/** The error of a valid admin token that lacks the scope `required_scope`. */
export class AdminScopeRequired extends Schema.TaggedError<AdminScopeRequired>()("AdminScopeRequired", {
  required_scope: AdminScope
}) {
  override get message(): string {
    return formatMessage({ key: "admin_scope_required", params: { scope: this.required_scope } }, "en")
  }
}
