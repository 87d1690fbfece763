import { Schema } from "effect"
import { formatMessage } from "../messages/language.ts"
import type { Account } from "./account.ts"

/** The error of a valid key or session whose account is suspended. */
export class AccountSuspended extends Schema.TaggedError<AccountSuspended>()("AccountSuspended", {}) {
  override get message(): string {
    return formatMessage({ key: "account_suspended" }, "en")
  }
}

/** Returns whether the keys and sessions of an account are rejected. */
export const isSuspended = ({ status }: Account): boolean => status === "suspended"
