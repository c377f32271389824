"""A bot among others: what it reads and says on a platform, kept and recalled through Saegim."""

from saegim.social.bot import Social as Social
