import { navigate } from "../../router/location.ts"
import { toPath } from "../../router/route.ts"
import { homePath } from "../homePath.ts"
import { signInPath } from "./link.ts"

/** Opens the home page if the sign-in page is open. Otherwise does nothing. */
export const leaveSignInPage = () => {
  if (toPath(location.pathname) === signInPath) navigate(homePath, { replace: true })
}
