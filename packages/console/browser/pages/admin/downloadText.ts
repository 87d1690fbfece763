/** Saves a text as a file in the downloads folder of the browser. */
export const downloadText = (name: string, type: string, text: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  // The browser reads the file after the click, so the URL stays valid for some time.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
