import type { ReactNode } from "react"
import { AccountMenu } from "./AccountMenu.tsx"
import { CreditsLeft } from "./CreditsLeft.tsx"
import { NotificationPanel } from "./notifications/NotificationPanel.tsx"

export const headerItems: ReadonlyArray<{ readonly id: string; readonly item: ReactNode }> = [
  { id: "credits", item: <CreditsLeft /> },
  { id: "bell", item: <NotificationPanel /> },
  { id: "account", item: <AccountMenu /> }
]
