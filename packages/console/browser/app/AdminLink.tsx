import { ShieldCheck } from "lucide-react"
import { adminPath } from "../access/adminPath.ts"
import { useAdminToken } from "../access/adminToken.ts"
import { useTexts } from "../i18n/texts.ts"
import { Link } from "../widgets/layout.tsx"
import { frameTexts } from "./texts.ts"

/** A link to the admin area, if this tab has an admin token. */
export const AdminLink = () => {
  const texts = useTexts(frameTexts)
  if (useAdminToken() === undefined) return null
  return (
    <Link href={adminPath} variant="block">
      <ShieldCheck aria-hidden size={16} className="tape" />
      <span className="hidden">{texts.administration}</span>
    </Link>
  )
}
