/** Where links that sign in lead. */
export const signInPath = "/sign-in"

/** The text of a link that signs in, behind an address's `#`. */
export const linkIn = (hash: string): string | undefined => /^#(tl_link_[0-9A-Za-z]+)$/.exec(hash)?.[1]

/** Takes the link out of the address, so that it stands in no history, and gives its text. */
export const takeLink = (): string | undefined => {
  const link = linkIn(location.hash)
  if (location.hash !== "") history.replaceState(null, "", location.pathname)
  return link
}
