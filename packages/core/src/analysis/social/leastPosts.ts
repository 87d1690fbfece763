/** Of fewer posts it is not told whether they are organic. */
export const leastPosts = 50
