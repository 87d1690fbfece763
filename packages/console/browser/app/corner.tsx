import type { ReactNode } from "react"
import { AccountMenu } from "./AccountMenu.tsx"
import { Bell } from "./bell/Bell.tsx"
import { Credits } from "./Credits.tsx"

/** The items in the corner of each page, from left to right. */
export const corner: ReadonlyArray<{ readonly id: string; readonly item: ReactNode }> = [
  { id: "credits", item: <Credits /> },
  { id: "bell", item: <Bell /> },
  { id: "account", item: <AccountMenu /> }
]
