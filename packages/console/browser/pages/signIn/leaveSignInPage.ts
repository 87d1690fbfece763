import { navigate } from "../../router/location.ts"
import { toPath } from "../../router/route.ts"
import { homePath } from "../homePath.ts"
import { signInPath } from "./link.ts"

/** Opens the first page if the user is at the sign-in page. Otherwise the requested page stays open. */
export const leaveSignInPage = () => {
  if (toPath(location.pathname) === signInPath) navigate(homePath, { replace: true })
}
