"""files.py - libraries that read a model's file, over an array in memory."""

from hbsbench import models
from hbsbench.errors import Refused
from suts.library import Library


class File(Library):
    """`format` of the options: the file's."""

    def check(self):
        super().check()
        self.case.file(self.options["format"])
        if any(self.case.data.texts) and not self.case.manifest.get("preprocess"):
            raise Refused("texts among the features")

    def load(self):
        format_ = self.options["format"]
        return models.FILE_READERS[format_](self.case.file(format_), self.case.manifest, self.case.facts["classes"], self.threads)
