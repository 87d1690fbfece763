import type { AdminAccount } from "@tapeline/client/admin"
import { useTexts } from "../../i18n/texts.ts"
import { Badge } from "../../widgets/layout.tsx"
import { accountTexts } from "./accountTexts.ts"

const variants = { active: "good", suspended: "bad", closed: "plain" } as const

export const AccountStatusBadge = ({ status }: Pick<AdminAccount, "status">) => {
  const texts = useTexts(accountTexts)
  return <Badge variant={variants[status]}>{texts[status]}</Badge>
}
