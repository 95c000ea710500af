"""The same steps for one clip or ten thousand: a file of steps, work shared among processes or a cluster, results that
are whole or not there, and a record by which a stopped batch goes on.

- ``steps``: what can be done to a clip, one kind a file; ``steps_file`` reads which of them are wanted;
- ``clips``: which files are clips, and what is to be done for each, a *job*;
- ``job``: one job from reading to its files, as a worker does it;
- ``workers``: what runs jobs, processes of this machine (``processes``) or a cluster of Dask (``cluster``);
- ``manifest``, ``report``: what is done, and what was not possible;
- ``run``: all of them together;
- ``sweep``: the physics of one scene over seeds and parameters, into a table.
"""
